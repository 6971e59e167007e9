import { extendAdmission } from '@apiserver/admission';
import { type RunningKubeApiserver, startKubeApiserver } from '@apiserver/kube-apiserver';
import { teamLabelPlugin } from './require-team-label.js';

/** Starts a full server with the plugin behind the built-in ones. The server's own namespaces get the default team. */
export function startTeamServer(dataDirectory: string): Promise<RunningKubeApiserver> {
  return startKubeApiserver({
    dataDirectory,
    storageBackend: 'memory',
    flags: ['--authorization-mode=RBAC'],
    configure: ({ generic }) => {
      generic.admission = extendAdmission(generic.admission, teamLabelPlugin('core'));
    },
  });
}
