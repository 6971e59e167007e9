import { expect, it } from 'vitest';
import { takenFlags } from './taken-flags.mjs';

const page = `
| flag | type | default | meaning |
| --- | --- | --- | --- |
| \`--data-dir\` | string |  | Directory of \`--etcd-servers\`. |
| \`--anonymous-auth\` | bool |  | Requests of nobody. |
| \`--profiling\` | bool | \`true\` | Profiles. |
| \`--audit-log-path\` | string |  | File. |
| \`--feature-gates\` | mapStringBool |  | Gates. |
`;

it('finds the flags of the server in the configuration of npm, and no others', () => {
  const environment = {
    npm_config_data_dir: '/tmp/a_b',
    npm_config_anonymous_auth: 'true',
    npm_config_user_agent: 'npm/11',
    npm_config_etcd_servers: 'x',
    data_dir: '/tmp/c',
    npm_config_profiling: '',
    npm_config_audit_log_path: '',
    npm_config_feature_gates: 'A=true\n\nB=false',
  };
  expect(takenFlags(environment, page)).toEqual([
    '--anonymous-auth=true',
    '--audit-log-path=',
    '--data-dir=/tmp/a_b',
    '--feature-gates=A=true',
    '--feature-gates=B=false',
    '--profiling=false',
  ]);
});
