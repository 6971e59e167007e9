// Records the modules of a start. It starts the server of a folder that has one file for each module. The JSON file of
// the second argument gets the files that were used at readiness, and after the usual first requests of clients. A
// process of its own, because it ends its server.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serveFirstRequests } from './first-requests.mjs';
import { moduleFiles } from './module-files.mjs';

const directory = resolve(process.argv[2] ?? '');
const { load, used } = moduleFiles(directory);
/** @type {{ start: string[], requests: string[] }} */
const recorded = { start: [], requests: [] };
const firstObjects = join(directory, 'first-objects.json');
await serveFirstRequests((args) => load('kube-apiserver.cjs').main(args, firstObjects), join(directory, 'data'), {
  ready() {
    recorded.start = used();
  },
  responded() {
    recorded.requests = used();
  },
});
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(recorded));
