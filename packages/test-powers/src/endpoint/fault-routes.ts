import { failureStatus, StatusError } from '@apiserver/apimachinery/errors';
import type { Faults } from '../faults/faults.js';
import { parseFaultRule } from '../faults/parse-fault-rule.js';
import type { EndpointRoutes } from './endpoint-routes.js';

/** Rules in force at a time: each is compared with every request. */
const MAX_RULES = 100;

/** Rules of faults: added, listed with their counters, removed. */
export function faultRoutes(faults: Faults): EndpointRoutes {
  return {
    '/faults': {
      GET: () => ({ type: 'json', value: { faults: faults.list() } }),
      POST: async (call) => {
        const rule = parseFaultRule(await call.json());
        if (faults.list().length >= MAX_RULES) throw tooMany();
        return { type: 'json', status: 201, value: faults.add(rule) };
      },
      DELETE: () => {
        faults.clear();
        return { type: 'none' };
      },
    },
    '/faults/*': {
      DELETE: ({ names: [id = ''] }) => {
        if (!faults.remove(id)) throw new StatusError(failureStatus(404, 'NotFound', `there is no fault ${id}`));
        return { type: 'none' };
      },
    },
  };
}

function tooMany(): StatusError {
  const message = `${MAX_RULES} faults are in force already; DELETE /faults/ID removes one`;
  return new StatusError(failureStatus(409, 'Conflict', message));
}
