#!/usr/bin/env node
import '../dist/required-node.js';

// Starts in the time that Node itself takes: it loads next to nothing.
void import('../dist/main.js').then(({ main }) => main(process.argv.slice(2)));
