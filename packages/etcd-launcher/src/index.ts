export { handoverIdFile, handoverPath, parseHandover, type StoreHandover } from './store-handover.js';
