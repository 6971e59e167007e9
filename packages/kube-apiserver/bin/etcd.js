#!/usr/bin/env node
require('./required-node.js')('etcd');
// Not part of the bundle: it shares next to nothing with the server, and starts in the time that Node itself takes.
void import('../dist/etcd-launcher/main.js').then(({ main }) => main(process.argv.slice(2)));
