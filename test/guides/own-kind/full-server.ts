import { extendAdmission, newAdmissionForbidden } from '@apiserver/admission';
import type { Filter } from '@apiserver/apiserver-contracts';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { boats } from './boat.ts';

const harbourHeader: Filter = {
  name: 'HarbourHeader',
  wrap: (next) => (exchange) => {
    exchange.responseHeaders.set('x-harbour', 'north');
    return next(exchange);
  },
};

await using server = await startKubeApiserver({
  dataDirectory: './data',
  configure: (config) => {
    config.extraGroups = [{ resources: [boats] }];
    config.generic.admission = extendAdmission(config.generic.admission, {
      name: 'NoLatest',
      handles: (operation, { resource }) => operation === 'CREATE' && resource.resource === 'pods',
      validate: (attributes) => {
        if (JSON.stringify(attributes.object).includes(':latest"')) {
          throw newAdmissionForbidden(attributes, new Error('an image needs a version'));
        }
      },
    });
    config.generic.adjustFilters = (defaults) => [...defaults, harbourHeader];
  },
});
console.log(server.address, server.kubeconfigPath);
await server.ended;
