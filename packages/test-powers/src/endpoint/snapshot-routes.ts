import { newBadRequest, plainFailure } from '@apiserver/apimachinery/errors';
import type { MemoryStore } from '@apiserver/registry-store/memory';
import type { PlaneSnapshot } from '../snapshots/plane-snapshot.js';
import type { EndpointHandler, EndpointRoutes } from './endpoint-routes.js';
import { KeptSnapshots } from './kept-snapshots.js';

/** Maximum of an uploaded file. */
const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;

/** Snapshots of the store: taken, restored, downloaded and uploaded. 501 for a store that has none. */
export function snapshotRoutes(store: MemoryStore | undefined): EndpointRoutes {
  if (store === undefined) return absentRoutes();
  const snapshots = new KeptSnapshots(store);
  return {
    '/snapshots': {
      GET: () => ({ type: 'json', value: { snapshots: snapshots.list().map(([...kept]) => described(...kept)) } }),
      POST: async (call) => {
        const { name } = await call.fields('name');
        const [...taken] = snapshots.take(name === undefined ? undefined : checkedName(name));
        return { type: 'json', status: 201, value: described(...taken) };
      },
    },
    '/snapshots/*': {
      GET: ({ names: [name = ''] }) => ({ type: 'file', chunks: snapshots.download(checkedName(name)) }),
      PUT: async (call) => {
        const name = checkedName(call.names[0]);
        const snapshot = await snapshots.upload(name, call.chunks(MAX_SNAPSHOT_BYTES));
        return { type: 'json', status: 201, value: described(name, snapshot) };
      },
      DELETE: ({ names: [name = ''] }) => {
        snapshots.remove(checkedName(name));
        return { type: 'none' };
      },
    },
    '/snapshots/*/restore': {
      POST: async (call) => {
        const name = checkedName(call.names[0]);
        await call.fields();
        return { type: 'json', value: described(name, await snapshots.restore(name)) };
      },
    },
  };
}

function absentRoutes(): EndpointRoutes {
  const absent: EndpointHandler = () => {
    throw plainFailure(501, 'only --storage-backend=memory has snapshots');
  };
  return {
    '/snapshots': { GET: absent, POST: absent },
    '/snapshots/*': { GET: absent, PUT: absent, DELETE: absent },
    '/snapshots/*/restore': { POST: absent },
  };
}

function described(name: string, snapshot: PlaneSnapshot) {
  return { name, resourceVersion: snapshot.resourceVersion };
}

function checkedName(name: unknown): string {
  if (typeof name === 'string' && /^[A-Za-z0-9][\w.-]{0,62}$/.test(name)) return name;
  throw newBadRequest('the name of a snapshot has at most 63 letters, digits, "-", "_" and "."');
}
