export { type MemoryRequest, startInMemory, until } from './memory-server.js';
