// In the language of any Node. What needs a newer one is loaded after this.
const required = 24;

/** On a Node that is too old: says which one `program` needs, in one line, and ends with exit code 1. */
module.exports = (program) => {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= required) return;
  process.stderr.write(`${program} needs Node ${required} or later; this is Node ${node}\n`);
  process.exit(1);
};
