/**
 * Defaults for a developer's machine that differ from those of the flags. The server listens on the loopback interface
 * only. As in most clusters, roles limit other users than the administrator, and pods may request privileges. The
 * commands, such as "backup FILE", take none of these flags.
 *
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
export function withDefaults(args) {
  if (args[0]?.startsWith('-') === false) return args;
  const given = (/** @type {string} */ name) => args.some((arg) => arg === name || arg.startsWith(`${name}=`));
  const givesMode = given('--authorization-mode') || given('--authorization-config');
  return [
    ...(given('--bind-address') ? [] : ['--bind-address=127.0.0.1']),
    ...(givesMode ? [] : ['--authorization-mode=RBAC']),
    ...(given('--allow-privileged') ? [] : ['--allow-privileged=true']),
    ...(given('--controllers') ? [] : ['--controllers=*']),
    ...args,
  ];
}
