import type { Requests } from '../requests/requests.js';
import type { EndpointRoutes } from './endpoint-routes.js';

/** The log of requests: selected records as JSON lines, the oldest first; forgotten. */
export function requestRoutes(requests: Requests): EndpointRoutes {
  return {
    '/requests': {
      GET: ({ query }) => ({ type: 'lines', values: requests.list(filterOf(query)) }),
      DELETE: () => {
        requests.clear();
        return { type: 'none' };
      },
    },
  };
}

/** `verb=create&verb=update&resource=pods&after=3&internal=true`; the log itself refuses unknown fields. */
function filterOf(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const filter = Object.groupBy(query, ([name]) => name);
  return Object.fromEntries(
    Object.entries(filter).map(([name, given = []]) => {
      const values = given.map(([, value]) => value);
      if (name === 'after') return [name, Number(values[0])];
      if (name === 'internal') return [name, values[0] === 'true'];
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
