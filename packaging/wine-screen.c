// A screen for lode under wine, whose own console shows sequences instead of obeying them: screen.exe PORT COMMAND LINE
//
// Keys, colors and size still come from wine's console. What lode draws goes through a pipe with the name that mintty, the
// terminal of Git for Windows, gives its own, which is how a program there knows a terminal; from the pipe it goes to PORT.
#include <winsock2.h>
#include <windows.h>
#include <string.h>

#define NAME "\\\\.\\pipe\\msys-1888ae32e00d56aa-pty0-to-master"

int main(int count, char **words) {
    WSADATA about;
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION made;
    char line[4096] = "", bytes[4096];
    DWORD read, code = 1;
    if (count < 3) return 2;
    WSAStartup(MAKEWORD(2, 2), &about);
    there.sin_port = htons(atoi(words[1]));
    SOCKET out = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(out, (struct sockaddr *)&there, sizeof there)) return 3;
    for (int at = 2; at < count; at++) {
        strcat(strcat(line, at > 2 ? " " : ""), words[at]);
    }
    HANDLE from = CreateNamedPipeA(NAME, PIPE_ACCESS_INBOUND, PIPE_TYPE_BYTE, 1, 65536, 65536, 0, NULL);
    HANDLE to = CreateFileA(NAME, GENERIC_WRITE | FILE_READ_ATTRIBUTES, 0, &inherited, OPEN_EXISTING, 0, NULL);
    if (from == INVALID_HANDLE_VALUE || to == INVALID_HANDLE_VALUE) return 4;
    start.hStdInput = CreateFileA("CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                                  OPEN_EXISTING, 0, NULL);
    start.hStdOutput = to;
    start.hStdError = to;
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made)) return 5;
    CloseHandle(to);
    while (ReadFile(from, bytes, sizeof bytes, &read, NULL) && read) send(out, bytes, read, 0);
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    closesocket(out);
    return code;
}
