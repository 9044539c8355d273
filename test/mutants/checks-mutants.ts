import { type Mutant, mutantsIn } from './mutants.ts'

/** Deliberate mistakes in the checks, their configuration, and in who a waiver is about. */
export const checksMutants: readonly Mutant[] = [
  ...mutantsIn('src/checks/support/invited-since.ts', ['test/checks/user-invitation-accepted.test.ts'], {
    'an account is as old an invitation as its date': ['isInvited && isSame', 'isSame'],
    'an answer is taken apart into moments that never were': ['changes[i - 1]?.at !== change.at', 'true'],
  }),
  ...mutantsIn(
    'src/checks/support/role-assessment.ts',
    ['test/checks/user-least-privilege.test.ts', 'test/checks/user-role-active.test.ts'],
    {
      'the role of the id excuses the role of the name': [
        'byId.name !== roleName && named.length > 0',
        'byId.name !== roleName && named.length < 0',
      ],
    },
  ),
  ...mutantsIn('src/checks/support/enrolment.ts', ['test/checks/user-mfa-enrolled.test.ts'], {
    'a negated reading of the multi-factor flags is not negated': [
      "  'not mfaStatus': [{ mfaStatus: false }],",
      "  'not mfaStatus': [{ mfaStatus: true }],",
    ],
  }),
  ...mutantsIn(
    'src/evaluate/check.ts',
    ['test/checks/user-mfa-enrolled.test.ts', 'test/commands/doctor/warnings.test.ts'],
    {
      'an assumed reading of the multi-factor flags passes for a chosen one': [
        'assumption(read(raw)) }),',
        'void read(raw) ?? null }),',
      ],
    },
  ),
  ...mutantsIn('src/checks/user-mfa-enrolled.ts', ['test/checks/user-mfa-enrolled.test.ts'], {
    'users of a tenant without SSO are not applicable although its policy is unknown': [
      'if (isWithoutSso(policy) && isPlaceholderUnknown(optionsOf))',
      'if (false as boolean)',
    ],
  }),
  ...mutantsIn('src/checks/support/settings.ts', ['test/checks/auth-mfa-policy-enabled.test.ts'], {
    'any tenant without SSO has a placeholder for a policy, whatever else is configured': [
      'return isOff && (providerType ?? null) === null && (tenantName ?? null) === null',
      'return isOff || (providerType ?? null) === null || (tenantName ?? null) === null',
    ],
  }),
  ...mutantsIn('src/checks/document-status-known.ts', ['test/checks/document-status-known.test.ts'], {
    'null is unknown although the configuration knows it': [
      'knownDocumentStatuses.includes(null) ? []',
      'knownDocumentStatuses.includes("null") ? []',
    ],
  }),
  ...mutantsIn('src/checks/document-processing-finished.ts', ['test/checks/document-processing-finished.test.ts'], {
    'a document that goes from one busy status to another is never stuck': [
      'isDoneByMirror(done) && busy.length === 1',
      'busy.length > 0',
    ],
  }),
  ...mutantsIn('src/store/records/record-tables.ts', ['test/evaluate/documents-never-done.test.ts'], {
    'a document that goes from one status to another that is not done is young again': [
      '(next[column.field] === column.is) === (known[column.field] === column.is)',
      'next[column.field] === known[column.field]',
    ],
  }),
  ...mutantsIn('src/checks/support/statuses.ts', ['test/evaluate/documents-never-done.test.ts'], {
    'a document is done in Completed alone, whatever the configuration calls so': [
      "optionsOf('document-required-present')['statuses']",
      "optionsOf('')['statuses']",
    ],
  }),
  ...mutantsIn('src/checks/support/status-since.ts', ['test/evaluate/documents-never-done.test.ts'], {
    'a document waits for the time of a clock that was ahead': ['isMirrored || recorded > now', 'isMirrored'],
  }),
  ...mutantsIn('src/api/tenant-reader.ts', ['test/sync/contract-events.test.ts'], {
    'a page size that is not the one asked for goes unnoticed': [
      'limit === asked.size) return []',
      'limit !== asked.size) return []',
    ],
  }),
  ...mutantsIn('src/api/endpoints.ts', ['test/api/client.test.ts'], {
    'both lists get the page size under the name of users': [
      '(written[resource.name] ?? null)',
      '(written.users ?? null)',
    ],
  }),
  ...mutantsIn('src/evaluate/findings/material-facts.ts', ['test/evaluate/identity.test.ts'], {
    'an id that was given to somebody else keeps its waiver': [
      "evidence['identity'] === undefined ? [] : identityFields",
      "evidence['identity'] === undefined ? identityFields : []",
    ],
  }),
  ...mutantsIn('src/model/dates.ts', ['test/evaluate/identity.test.ts'], {
    'the finding of a reassigned id continues': ['other === null || one === other', 'other === null || one !== null'],
    'a fraction of a second makes another person': ['[secondOf(isoMs(a)), secondOf(isoMs(b))]', '[isoMs(a), isoMs(b)]'],
  }),
  ...mutantsIn('src/evaluate/findings/identity.ts', ['test/evaluate/identity.test.ts'], {
    'a user who was created again is another person whatever the e-mail': [
      "after['emailDigest'] === before['emailDigest']) return true",
      "after['emailDigest'] === before) return true",
    ],
    'an API client with another creation is the same one': [
      "typeof after['emailDigest'] === 'string' && after",
      "after['emailDigest'] !== null && after",
    ],
    'evidence holds the e-mail itself': ['digestOf([key, email.normalize(', 'String([key, email.normalize('],
  }),
  ...mutantsIn('src/store/findings/staged-findings.ts', ['test/evaluate/identity.test.ts'], {
    'a waiver goes over to another person without an e-mail': ["kind === 'replaced' || !isSameFacts", '!isSameFacts'],
    'a waiver ends with a fraction of a second': [`'"$1Z"'`, "'$&'"],
    'a waiver ends when a creation is written again': [
      "{ 'identity.createdAt': _, ...facts }: Facts",
      '{ ...facts }: Facts',
    ],
    'a finding that begins with a new owner of the id is as old as that of the former one': [
      'set first_seen_at = d.at, reopened = 0',
      'set reopened = 0',
    ],
  }),
  ...mutantsIn('src/store/records/record-reader.ts', ['test/sync/contract-events.test.ts'], {
    'an e-mail in other letters is another one': ['digestOf(text.toLowerCase())', 'digestOf(text)'],
    'a user who may be gone is counted for a repeated e-mail': [
      'and missing_since is null and absent_full_syncs = 0',
      '',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/evaluate/read-posture.test.ts'], {
    'incremental syncs look well while the full sync they wait for fails': [
      'return incrementalReason ?? (waits ? fullReason : null)',
      'return waits ? incrementalReason : incrementalReason',
    ],
  }),
  ...mutantsIn('src/metrics/check-gauges.ts', ['test/metrics/metrics.test.ts'], {
    'a check that is switched off has a status in the metrics': [
      'Number(enabled && status === present)',
      'Number(status === present && enabled !== null)',
    ],
  }),
  ...mutantsIn('src/checks/user-least-privilege.ts', ['test/checks/user-least-privilege.test.ts'], {
    'a user whose role does not exist passes the least-privilege check': [
      "missing: 'not_evaluated'",
      "missing: 'passes'",
    ],
  }),
  ...mutantsIn('src/checks/permission-catalogue-known.ts', ['test/checks/permission-catalogue-known.test.ts'], {
    'a code that no permission list has goes unnoticed': [
      'role.codes.filter((code) => !listedCodes.has(code))',
      "role.codes.filter((code) => code === '' && !listedCodes.has(code))",
    ],
  }),
  ...mutantsIn('src/commands/support/accept-drift.ts', ['test/commands/accept-drift.test.ts'], {
    'a drift that has grown since it was shown is accepted': ['if (driftId !== id) throw', "if (digest === '') throw"],
  }),
  ...mutantsIn('src/evaluate/findings/identity.ts', ['test/commands/accept-drift.test.ts'], {
    'the id of a drifted state stays while the drift grows': ['digestOf(present)', 'digestOf(expectedFrom)'],
  }),
  ...mutantsIn('src/doctor/config-warnings.ts', ['test/commands/doctor/warnings.test.ts'], {
    'a known status in which a document fails no check goes unnoticed': [
      '!covered.includes(status)',
      '!covered.includes(status) && status === null',
    ],
  }),
  ...mutantsIn('src/checks/support/bounded-list.ts', ['test/checks/bounded-list.test.ts'], {
    'a permission beyond the stated ones does not change what a waiver covers': [
      'digestOf(all)',
      'digestOf(all.slice(0, longestList))',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/evaluate/evaluate-tenant.test.ts'], {
    'a check that is not configured is unknown while its inputs are': [
      'if (check.isConfigured?.(options) === false)',
      'if (check.isConfigured?.(options) === false && quality.resources.size === 0)',
    ],
  }),
]
