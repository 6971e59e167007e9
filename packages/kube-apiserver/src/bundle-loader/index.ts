export { Bundle, bytecodeFile } from './bundle.js';
