// The first import of the npm scripts, in a syntax that every Node parses. Under npm, the repository's own Node
// precedes the machine's, except where it could not be installed. A script that is run by hand uses the machine's.
const required = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < required) {
  const name = (process.argv[1] ?? '').replace(/^.*[\\/]|\.mjs$/g, '');
  const command = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
  process.stderr.write(`${command} needs Node ${required} or later; this is Node ${node}\n`);
  process.exit(1);
}
