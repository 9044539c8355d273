import { expect, it } from 'vitest'
import { isLoopback } from '../../src/model/process/address.ts'

it('knows loopback addresses, and no name that only looks like one', () => {
  const loopback = ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]']
  const others =
    'localhost.example.com notlocalhost .localhost localhost. a.localhost 127.0.0.999 128.0.0.1 127.0.0.1. 0.0.0.0 ::'
  expect([...loopback, ...others.split(' '), '::ffff:127.0.0.1', ''].filter(isLoopback)).toEqual(loopback)
})
