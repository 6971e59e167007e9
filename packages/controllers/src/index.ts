export type { SignSecretToken } from './controller.js';
export { controllerNames, enabledControllers, validateControllers } from './enabled-controllers.js';
export { type ControllersOptions, runControllers } from './manager/run-controllers.js';
