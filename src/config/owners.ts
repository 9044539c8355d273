import * as z from 'zod'
import { type EntityKind, entityKinds } from '../model/owners.ts'
import { isMatch } from '../model/text/glob.ts'
import type { Catalogue } from './catalogue.ts'
import { advice } from './mistakes.ts'
import { emptyAsList, hasCredentials, parseHttpUrl, section, text, textThat } from './values.ts'

function pattern(description: string) {
  const wanted = 'a pattern such as deploy-*, of at most 200 characters'
  return text(wanted, /^(?=.*\S).{1,200}$/s)
    .optional()
    .describe(description)
}

export function owners({ checks, incomplete }: Catalogue) {
  const ids = checks.map(({ id }) => id)
  const check = textThat('a pattern for ids of checks, such as api-client-*', (glob) =>
    incomplete || ids.some((id) => isMatch(glob, id)) ? null : `it matches no check; ${advice(glob, ids)}`,
  )
  const rule = z.strictObject({
    name: text('the name of a team, at most 64 characters', /^(?=.*\S)\P{Cc}{1,64}$/u).describe(
      'Shown everywhere, also in metrics: name a team rather than a person',
    ),
    tenant: pattern('Only findings of these tenants'),
    check: check.optional().describe('Only findings of these checks'),
    user: pattern('Users by name, e-mail address or id'),
    client: pattern('API clients by name or id'),
    role: pattern('Roles by name or id'),
    document: pattern('Documents by file name or id, required documents by id'),
  } satisfies Record<EntityKind | 'name' | 'tenant' | 'check', z.ZodType>)
  return emptyAsList(rule, 'owners')
}

export function portalUrl() {
  return section({ user: link('user'), client: link('client'), role: link('role'), document: link('document') })
}

function link(kind: EntityKind) {
  const placeholder = `{${entityKinds[kind]}}`
  const wanted = `expected an https URL without user, such as https://portal.example.com/${kind}s/${placeholder}`
  return textThat(wanted, (template) => {
    const url = parseHttpUrl(template)
    if (url?.protocol !== 'https:' || hasCredentials(url)) return wanted
    const others = template.replaceAll(placeholder, '')
    return /[{}]/.test(others) ? `the only placeholder here is ${placeholder}` : null
  })
    .nullable()
    .default(null)
    .describe(`Address of ${kind === 'client' ? 'an API client' : `a ${kind}`} with the placeholder ${placeholder}`)
}
