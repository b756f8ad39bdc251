# Homebrew: brew install --formula ./lode.rb
class Lode < Formula
  desc "Prospecting in the terminal: find contacts, unlock with care, keep them"
  homepage "@HOME@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@HOME@/releases/download/v@VERSION@/lode-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SUM:lode-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@HOME@/releases/download/v@VERSION@/lode-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SUM:lode-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@HOME@/releases/download/v@VERSION@/lode-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SUM:lode-@VERSION@-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@HOME@/releases/download/v@VERSION@/lode-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SUM:lode-@VERSION@-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "lode"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/lode.bash" => "lode"
    zsh_completion.install "completions/_lode"
    fish_completion.install "completions/lode.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/lode --version")
  end
end
