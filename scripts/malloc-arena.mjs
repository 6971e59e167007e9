// glibc: one heap of malloc for all threads, whose free memory all can use. malloc reads the variable when a process begins,
// so this one begins again with it: it stays the same process, to the shell and to whoever signals it.
const { env, execArgv, execPath, argv, platform } = process;

if (platform === 'linux' && !env['MALLOC_ARENA_MAX'] && process.execve !== undefined) {
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '1' });
}
