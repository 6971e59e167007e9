import { expect, it } from 'vitest';
import { takenFlags } from './taken-flags.mjs';

const page = `
| flag | type | default | meaning |
| --- | --- | --- | --- |
| \`--data-dir\` | string |  | Directory of \`--etcd-servers\`. |
| \`--anonymous-auth\` | bool |  | Requests of nobody. |
`;

it('finds the flags of the server in the configuration of npm, and no others', () => {
  const environment = {
    npm_config_data_dir: '/tmp/a_b',
    npm_config_anonymous_auth: 'true',
    npm_config_user_agent: 'npm/11',
    npm_config_etcd_servers: 'x',
    data_dir: '/tmp/c',
  };
  expect(takenFlags(environment, page)).toEqual(['--anonymous-auth=true', '--data-dir=/tmp/a_b']);
});
