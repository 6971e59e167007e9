import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { createMemoryStore } from './create-memory-store.js';

keyValueStoreSuite('memory', async ({ clock }) => createMemoryStore({ clock, compactionInterval: 0 }));
