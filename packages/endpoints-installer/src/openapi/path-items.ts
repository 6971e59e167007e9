import type { HttpMethod, OpenApiRoute, RouteParameter } from './open-api-route.js';

/** One method of a path, without the parameters that all methods of the path share. */
export interface PathOperation {
  readonly route: OpenApiRoute;
  /** In alphabetical order. */
  readonly parameters: readonly RouteParameter[];
}

/** A path with its methods. */
export interface PathItem {
  readonly path: string;
  /** Shared by all methods; in alphabetical order. */
  readonly parameters: readonly RouteParameter[];
  readonly operations: ReadonlyMap<HttpMethod, PathOperation>;
}

/**
 * Collects routes by path, paths in alphabetical order, and moves parameters of all methods to the path.
 *
 * Upstream: findCommonParameters in k8s.io/kube-openapi/pkg/builder/openapi.go
 */
export function* pathItems(routes: readonly OpenApiRoute[]): Generator<PathItem, void> {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, ofPath] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) yield pathItem(path, ofPath);
}

function pathItem(path: string, routes: readonly OpenApiRoute[]): PathItem {
  const [first, ...others] = routes;
  const shared = (first?.parameters ?? []).filter(({ name }) =>
    others.every(({ parameters }) => parameters.some((parameter) => parameter.name === name)),
  );
  const isShared = new Set(shared.map(({ name }) => name));
  const operations = routes.map((route): [HttpMethod, PathOperation] => [
    route.method,
    { route, parameters: sorted(route.parameters.filter(({ name }) => !isShared.has(name))) },
  ]);
  return { path, parameters: sorted(shared), operations: new Map(operations.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function sorted(parameters: readonly RouteParameter[]): readonly RouteParameter[] {
  return parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
