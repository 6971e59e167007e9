export { openApiDefinitionSteps, openApiDefinitions } from './open-api-definitions.js';
