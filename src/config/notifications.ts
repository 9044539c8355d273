import * as z from 'zod'
import { severities } from '../model/severity.ts'
import { type Catalogue, checkId } from './catalogue.ts'
import { cron } from './cron.ts'
import type { Probe } from './probes.ts'
import { oneOf, secretSource } from './sections.ts'
import { list, section, text } from './values.ts'

/** What a target can be told: findings, checks that become unknown or known again, holds. */
export const newsKinds = ['opened', 'resolved', 'unknown', 'hold'] as const
export type NewsKind = (typeof newsKinds)[number]

const wantedAddress = 'one of { slack: … }, { teams: … }, { webhook: { url: … } }, { email: { smtp, from, to } }'

function mailbox() {
  const wanted = 'an e-mail address such as security@example.com or "tenantwatch <security@example.com>"'
  return text(wanted, /^(?:[^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s,]+@[^<>@\s,]+)$/)
}

function addresses(probe: Probe) {
  const url = () => secretSource(probe, 'the URL')
  return {
    slack: url().optional().describe('Source of the URL of an incoming webhook'),
    teams: url().optional().describe('Source of the URL of a workflow that posts to a channel'),
    webhook: section({
      url: url().describe('Source of the URL'),
      secret: secretSource(probe, 'the secret').optional().describe('Source of the secret that signs the body'),
    }).optional(),
    email: section({
      smtp: url().describe('Source of smtps://user:password@host:465, or smtp://…:587 for STARTTLS'),
      from: mailbox().describe('Sender'),
      to: list(mailbox(), 'e-mail addresses')
        .min(1, { error: 'expected a list of e-mail addresses' })
        .describe('Recipients'),
    }).optional(),
  }
}

export const notificationExample = {
  name: 'security',
  to: { slack: { env: 'SLACK_URL' } },
  minSeverity: 'high',
  tenants: ['acme'],
  digest: '0 8 * * 1-5',
}

export function notification(catalogue: Catalogue, probe: Probe) {
  const kinds = newsKinds.join(', ')
  return z.strictObject({
    name: text('a name of a-z, 0-9 and "-", at most 63 characters', /^[a-z0-9-]{1,63}$/).describe(
      'Label `target` of the metric, and the name for `tenantwatch notify --test`',
    ),
    to: oneOf(addresses(probe), wantedAddress).describe(
      'slack, teams, webhook or email; addresses are secrets, and read again for each message',
    ),
    minSeverity: z.enum(severities).default('info').describe('Of findings, and of checks that become unknown'),
    tenants: list(text('the name of a tenant'), 'names of tenants').prefault([]).describe('[] = all'),
    checks: list(checkId(catalogue), 'ids of checks').prefault([]).describe('[] = all'),
    owners: list(text('the name of an owner'), 'names of owners')
      .prefault([])
      .describe('Only findings of these owners; [] = all'),
    on: list(z.enum(newsKinds), kinds)
      .min(1, { error: `expected a list of ${kinds}` })
      .prefault([...newsKinds])
      .describe('opened, resolved (findings), unknown (checks), hold'),
    digest: cron(false)
      .nullable()
      .default(null)
      .describe('Cron expression: one message for each tenant at these times; null = some seconds after an evaluation'),
    exposeDetails: z.boolean().default(false).describe('true sends names of persons, e-mails and file names'),
  })
}
