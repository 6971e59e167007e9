import './required-node.mjs';
import { build } from './build-stale.mjs';

process.exitCode = await build();
