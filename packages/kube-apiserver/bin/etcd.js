#!/usr/bin/env node
// Not part of the bundle: it shares next to nothing with the server, and starts in the time that Node itself takes.
import { main } from '../dist/etcd-launcher/main.js';

await main(process.argv.slice(2));
