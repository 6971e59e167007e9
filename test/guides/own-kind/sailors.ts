import type { ApiServer } from '@apiserver/generic-server';
import type { Boat } from './boat.ts';

const BOATS = { group: 'harbour.example.com', version: 'v1', resource: 'boats' };

/** Creates a boat from inside the server. The call passes defaults, validation and admission like any other. */
export function launchBoat(api: ApiServer, name: string): Promise<Boat> {
  const boat = { apiVersion: 'harbour.example.com/v1', kind: 'Boat', metadata: { name }, spec: { berths: 4 } };
  return api.client.resource<Boat>(BOATS).create('sea', boat);
}
