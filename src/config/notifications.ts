import * as z from 'zod'
import { severities } from '../model/severity.ts'
import { cron } from './cron.ts'
import { advice } from './mistakes.ts'
import { idPattern } from './own-checks.ts'
import type { Probe } from './probes.ts'
import { oneOf, type SecretSource, secretSource } from './sections.ts'
import { choice, flag, section, text, textThat } from './values.ts'

/** What a target can be told: findings, checks that become unknown or known again, holds. */
export const newsKinds = ['opened', 'resolved', 'unknown', 'hold'] as const
export type NewsKind = (typeof newsKinds)[number]

interface WebhookSettings {
  readonly url: SecretSource
  readonly secret?: SecretSource | undefined
}

export interface EmailSettings {
  readonly smtp: SecretSource
  readonly from: string
  readonly to: readonly string[]
}

/** Exactly one key is set. */
export interface NotificationAddress {
  readonly slack?: SecretSource
  readonly teams?: SecretSource
  readonly webhook?: WebhookSettings
  readonly email?: EmailSettings
}

const wantedAddress = 'one of { slack: … }, { teams: … }, { webhook: { url: … } }, { email: { smtp, from, to } }'

function mailbox() {
  const wanted = 'an e-mail address such as security@example.com or "tenantwatch <security@example.com>"'
  return text(wanted, /^(?:[^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s,]+@[^<>@\s,]+)$/)
}

function address(probe: Probe) {
  const url = () => secretSource(probe, 'the URL')
  const shape = {
    slack: url().optional().describe('Source of the URL of an incoming webhook'),
    teams: url().optional().describe('Source of the URL of a workflow that posts to a channel'),
    webhook: section({
      url: url().describe('Source of the URL'),
      secret: secretSource(probe, 'the secret').optional().describe('Source of the secret that signs the body'),
    }).optional(),
    email: section({
      smtp: url().describe('Source of smtps://user:password@host:465, or smtp://…:587 for STARTTLS'),
      from: mailbox().describe('Sender'),
      to: z
        .array(mailbox(), { error: 'expected a list of e-mail addresses' })
        .min(1, { error: 'expected a list of e-mail addresses' })
        .describe('Recipients'),
    }).optional(),
  }
  return oneOf<NotificationAddress>(shape, wantedAddress)
}

export const notificationExample = {
  name: 'security',
  to: { slack: { env: 'SLACK_URL' } },
  minSeverity: 'high',
  tenants: ['acme'],
  digest: '0 8 * * 1-5',
}

/** @param isIncomplete whether there may be further checks. */
export function notification(checks: readonly string[], isIncomplete: boolean, probe: Probe) {
  const check = textThat('the id of a check', (id) =>
    checks.includes(id) || (isIncomplete && idPattern.test(id))
      ? null
      : `there is no such check; ${advice(id, checks)}`,
  )
  return z.strictObject({
    name: text('a name of a-z, 0-9 and "-", at most 63 characters', /^[a-z0-9-]{1,63}$/).describe(
      'Label `target` of the metric, and the name for `tenantwatch notify --test`',
    ),
    to: address(probe).describe(
      'slack, teams, webhook or email; addresses are secrets, and read again for each message',
    ),
    minSeverity: choice(severities).default('info').describe('Of findings, and of checks that become unknown'),
    tenants: z
      .array(text('the name of a tenant'), { error: 'expected a list of names of tenants' })
      .prefault([])
      .describe('[] = all'),
    checks: z.array(check, { error: 'expected a list of ids of checks' }).prefault([]).describe('[] = all'),
    owners: z
      .array(text('the name of an owner'), { error: 'expected a list of names of owners' })
      .prefault([])
      .describe('Only findings of these owners; [] = all'),
    on: z
      .array(choice(newsKinds), { error: `expected a list of ${newsKinds.join(', ')}` })
      .min(1, { error: `expected a list of ${newsKinds.join(', ')}` })
      .prefault([...newsKinds])
      .describe('opened, resolved (findings), unknown (checks), hold'),
    digest: cron(false)
      .nullable()
      .default(null)
      .describe('Cron expression: one message for each tenant at these times; null = some seconds after an evaluation'),
    exposeDetails: flag().default(false).describe('true sends names of persons, e-mails and file names'),
  })
}
