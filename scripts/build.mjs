import { build } from './build-stale.mjs';

process.exitCode = await build();
