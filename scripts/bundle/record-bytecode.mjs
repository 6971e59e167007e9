// Writes V8's bytecode of the bundle beside it. The server is started and gets the usual first requests of clients; the
// bytecode has all functions that ran, and deferred modules as they are loaded. A process of its own, because it ends its server.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeferred } from './deferred.mjs';
import { serveFirstRequests } from './first-requests.mjs';

const directory = join(resolve(process.argv[2] ?? ''), '/');
const { Bundle, bytecodeFile } = createRequire(directory)('./loader.cjs');
const bundle = new Bundle(directory);

const dataDirectory = mkdtempSync(join(tmpdir(), 'record-bytecode-'));
try {
  const { main } = bundle.load('kube-apiserver.cjs');
  await serveFirstRequests((args) => main(args, `${directory}first-objects.json`), dataDirectory, {
    responded() {
      for (const file of readdirSync(directory)) if (isDeferred(file)) bundle.load(file);
      for (const [name, script] of bundle.scripts) {
        writeFileSync(bytecodeFile(directory + name), script.createCachedData());
      }
    },
  });
} finally {
  rmSync(dataDirectory, { recursive: true });
}
