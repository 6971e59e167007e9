import { controllerList } from './controller-list.js';

/** The names of all controllers. */
export const controllerNames: readonly string[] = controllerList.map(({ name }) => name);

/**
 * The controllers that a selection enables: `*` for all that are on by default, `foo` for one, `-foo` for all but one.
 * The first entry that names a controller counts. An alias stands for its name.
 * Upstream: IsControllerEnabled of k8s.io/controller-manager/app
 */
export function enabledControllers(selection: readonly string[]): readonly string[] {
  return controllerList
    .filter(({ name, alias, byDefault }) => {
      const named = selection.find((entry) => [name, alias].includes(entry.replace(/^-/, '')));
      return named === undefined ? byDefault && selection.includes('*') : !named.startsWith('-');
    })
    .map(({ name }) => name);
}

/**
 * A message for each entry that names no controller. Upstream: GenericControllerManagerConfigurationOptions.Validate
 */
export function validateControllers(selection: readonly string[]): readonly string[] {
  const known = new Set(controllerList.flatMap(({ name, alias = name }) => [name, alias]));
  return selection
    .filter((entry) => entry !== '*' && !known.has(entry.replace(/^-/, '')))
    .map((entry) => `${JSON.stringify(entry.replace(/^-/, ''))} is not in the list of known controllers`);
}
