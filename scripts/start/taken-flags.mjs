// Flags that npm took for its own because no `--` stands before them. It passes them to scripts in the environment.

/** As npm names them for a script. */
const prefix = 'npm_config_';

/**
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {string} page docs/flags.md, which has all flags of the server
 * @returns {string[]} each as it was given, `--secure-port=7443`; sorted, as their order is lost
 */
export function takenFlags(environment, page) {
  const known = new Set(Array.from(page.matchAll(/^\| `--([\w-]+)` \|/gm), ([, name]) => name));
  const taken = Object.entries(environment).flatMap(([variable, value]) => {
    const name = variable.slice(prefix.length).replaceAll('_', '-');
    return variable.startsWith(prefix) && known.has(name) ? [`--${name}=${value}`] : [];
  });
  return taken.sort();
}
