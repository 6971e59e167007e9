export { testAttributes } from './attributes.js';
