// The one function that the standard library of Rust asks for chance and that wine of Debian lacks.
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n){ return RtlGenRandom(p,(ULONG)n); }
