// Builds what is stale, then becomes the server: the binary runs in this process, so that signals, flags and the exit
// code need no forwarding.
import { buildStale, root } from './build-stale.mjs';

const binary = `${root}packages/kube-apiserver/bin/kube-apiserver.js`;

const code = await buildStale();
if (code !== 0) process.exit(code);
process.argv[1] = binary;
await import(binary);
