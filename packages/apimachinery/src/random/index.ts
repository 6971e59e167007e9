export { generateName, type RandomInt } from './generate-name.js';
