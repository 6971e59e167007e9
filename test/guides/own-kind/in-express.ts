import { createApiServer } from '@apiserver/generic-server';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import express from 'express';
import { boats } from './boat.ts';

const api = await createApiServer({
  groups: [{ resources: [boats] }],
  storage: createMemoryStore(),
  authentication: {
    // The session of the app names the user; undefined is 401.
    authenticateRequest: ({ request }) => {
      const name = request.headers.get('x-session');
      return name === undefined ? undefined : { user: { name, groups: ['staff'], extra: {} } };
    },
  },
  authorization: {
    authorize: ({ user, readOnly }) =>
      readOnly || user.name === 'captain'
        ? { decision: 'Allow', reason: '' }
        : { decision: 'NoOpinion', reason: 'only captains write' },
  },
});
const app = express();
app.get('/', (_, response) => void response.send('the harbour'));
app.use(await api.mount());
const port = Number(process.env['PORT'] ?? 8080);
app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
