import type { EventState, RequestFacts } from '../event/audit-event.js';
import { AuditRecord, EncodedFacts } from '../event/audit-record.js';

/** An event for tests of backends, at level Request. */
export function testRecord(facts: Partial<RequestFacts> = {}, state: Partial<EventState> = {}): AuditRecord {
  return new AuditRecord(
    new EncodedFacts({
      level: 'Request',
      auditID: 'id',
      requestURI: '/x',
      verb: 'get',
      sourceIPs: [],
      userAgent: '',
      receivedAt: 0,
      user: { name: 'alice', groups: ['dev'], extra: {} },
      ...facts,
    }),
    {
      stage: 'ResponseComplete',
      stageAt: 0,
      impersonatedUser: undefined,
      impersonationConstraint: '',
      objectRef: undefined,
      responseStatus: undefined,
      requestObject: undefined,
      responseObject: undefined,
      annotations: undefined,
      ...state,
    },
  );
}
