{
  description = "lode: prospecting in the terminal";

  inputs.nixpkgs.url = "nixpkgs";

  outputs =
    { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "lode";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          LODE_COMMIT = self.shortRev or "dirty";
          # The tests start terminals and sandboxes of their own: .ci/run has them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            patchShebangs packaging/pages.sh
            packaging/pages.sh $out/bin/lode pages
            installManPage pages/man/*.1
            installShellCompletion --bash --name lode pages/completions/lode.bash
            installShellCompletion --zsh pages/completions/_lode
            installShellCompletion --fish pages/completions/lode.fish
          '';
          meta = {
            inherit (manifest) description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "lode";
          };
        };
      });
    };
}
