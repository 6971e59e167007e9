// The first import of the scripts that npm starts, in the language of any Node: npm puts the repository's own Node before the
// machine's, but not where it could not be installed, and not when a script is run by hand.
const required = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < required) {
  const name = (process.argv[1] ?? '').replace(/^.*[\\/]|\.mjs$/g, '');
  const command = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
  process.stderr.write(`${command} needs Node ${required} or later; this is Node ${node}\n`);
  process.exit(1);
}
