export { openApiDefinitions } from './open-api-definitions.js';
