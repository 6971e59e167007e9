/** CustomResourceDefinitions, and the resources that they define. */
export { customResourceDefinitions } from './custom-resource-definition/definition.js';
export {
  type ApiextensionsConfig,
  type ApiextensionsServer,
  newApiextensionsServer,
} from './server/apiextensions-server.js';
