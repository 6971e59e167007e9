// Writes V8's bytecode of the planes' bundle beside it, from planes that are used as a test does.
import { join, resolve } from 'node:path';
import { useFirstPlanes } from './first-planes.mjs';
import { recordingBundle } from './write-bytecode.mjs';

const { load, writeBytecode } = recordingBundle(join(resolve(process.argv[2] ?? ''), '/'));
await useFirstPlanes(load('envtest.cjs'), {});
writeBytecode();
