// Uses only syntax that every Node understands. Newer modules are loaded after this.
const required = 24;

/** On an outdated Node: prints the version that `program` requires, in one line, and exits with code 1. */
module.exports = (program) => {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= required) return;
  process.stderr.write(`${program} needs Node ${required} or later; this is Node ${node}\n`);
  process.exit(1);
};
