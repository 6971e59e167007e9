export { Memo } from './memo.js';
export { once } from './once.js';
