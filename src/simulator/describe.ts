import { tokenNames, tokenSeed } from './seed/tokens.ts'
import type { Simulator } from './simulator.ts'

export function describeSimulator(simulator: Simulator): string[] {
  const { baseUrl, controlUrl, tokenUrl, tokens, readings, primary, second } = simulator
  const scheme = readings.tokenScheme === '' ? '' : `${readings.tokenScheme} `
  const sizes = [primary, second].map(
    ({ name, state }) => `${name}: ${state.userCount()} users, ${state.documentCount()} documents`,
  )
  return [
    `Base URL     ${baseUrl}`,
    `Control URL  ${controlUrl ?? 'none'}`,
    `Token URL    ${tokenUrl}`,
    `Header       ${readings.tokenHeader}: ${scheme}<token>`,
    `Tenants      ${sizes.join('; ')}`,
    'Tokens',
    ...tokenNames().map((name) => `  ${name.padEnd(20)} ${tokens[name]}  ${tokenSeed(name).tenant}`),
  ]
}
