/** CustomResourceDefinitions, and the resources they define. */
export { customResourceDefinitions } from './custom-resource-definition/definition.js';
export {
  type ApiextensionsConfig,
  type ApiextensionsServer,
  newApiextensionsServer,
} from './server/apiextensions-server.js';
