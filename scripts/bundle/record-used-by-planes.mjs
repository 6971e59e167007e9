// Records the modules that planes use. It starts planes of a folder that has one file for each module. The JSON file of
// the second argument gets the files that were used at the first response, and after the usual work of a test.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { useFirstPlanes } from './first-planes.mjs';
import { moduleFiles } from './module-files.mjs';

const directory = resolve(process.argv[2] ?? '');
const { load, used } = moduleFiles(directory);
/** @type {{ start: string[], requests: string[] }} */
const recorded = { start: [], requests: [] };
await useFirstPlanes(load('envtest.cjs'), {
  ready() {
    recorded.start = used();
  },
  responded() {
    recorded.requests = used();
  },
});
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(recorded));
