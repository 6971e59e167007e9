// Flags that npm took for its own because no `--` stands before them. It passes them to scripts in the environment.

/** As npm names them for a script. */
const prefix = 'npm_config_';

/**
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {string} page docs/flags.md, which has all flags of the server
 * @returns {string[]} each as it was given, `--secure-port=7443`; sorted, as their order is lost
 */
export function takenFlags(environment, page) {
  const types = new Map(Array.from(page.matchAll(/^\| `--([\w-]+)` \| (\w+) \|/gm), ([, name, type]) => [name, type]));
  const taken = Object.entries(environment).flatMap(([variable, value = '']) => {
    const name = variable.slice(prefix.length).replaceAll('_', '-');
    const type = variable.startsWith(prefix) ? types.get(name) : undefined;
    if (type === undefined) return [];
    // npm makes false an empty text, and separates values by empty lines.
    const values = type === 'bool' && value === '' ? ['false'] : value.split('\n\n');
    return values.map((one) => `--${name}=${one}`);
  });
  return taken.sort();
}
