// With glibc: one heap of malloc for all threads, so that they share its free memory. The variable is read when a
// process begins, so this one executes itself again with it. It stays the same process for the shell and for signals.
const { env, execArgv, execPath, argv, platform } = process;

if (platform === 'linux' && !env['MALLOC_ARENA_MAX'] && process.execve !== undefined) {
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '1' });
}
