// Writes V8's bytecode of the binary's bundle beside it, from a server that gets the usual first requests of clients. A
// process of its own, because it ends its server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serveFirstRequests } from './first-requests.mjs';
import { recordingBundle } from './write-bytecode.mjs';

const directory = join(resolve(process.argv[2] ?? ''), '/');
const { load, writeBytecode } = recordingBundle(directory);

const dataDirectory = mkdtempSync(join(tmpdir(), 'record-bytecode-'));
try {
  const { main } = load('kube-apiserver.cjs');
  await serveFirstRequests((args) => main(args, `${directory}first-objects.json`), dataDirectory, {
    responded: writeBytecode,
  });
} finally {
  rmSync(dataDirectory, { recursive: true });
}
