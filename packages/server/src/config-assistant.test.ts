import { expect, test } from 'vitest'
import { readSettings } from './config-schema.js'

const read = (values: Readonly<Record<string, string>>) =>
  readSettings(Object.fromEntries(Object.entries(values).map(([name, value]) => [`PRINTWARDEN_${name}`, value])))

test('a model on the same network, and another one that sees', () => {
  const { settings } = read({
    ASSISTANT_URL: 'http://192.168.1.5:11434/v1/',
    ASSISTANT_MODEL: 'small',
    ASSISTANT_VISION_MODEL: 'seeing',
    ASSISTANT_MONTHLY_CREDITS: '50',
  })
  expect(settings).toMatchObject({
    ASSISTANT_URL: 'http://192.168.1.5:11434/v1',
    ASSISTANT_MODEL: 'small',
    ASSISTANT_VISION_MODEL: 'seeing',
    ASSISTANT_MONTHLY_CREDITS: 50,
    ASSISTANT_TIMEOUT_SECONDS: 120,
  })
})

test.each([
  {
    given: { ASSISTANT_URL: 'http://a.example/v1' },
    problem: 'ASSISTANT_MODEL: is missing, but PRINTWARDEN_ASSISTANT_URL is set',
  },
  { given: { ASSISTANT_MODEL: 'small' }, problem: 'ASSISTANT_URL: is missing, but PRINTWARDEN_ASSISTANT_MODEL is set' },
  {
    given: { ASSISTANT_URL: 'http://a.example', ASSISTANT_MODEL: 'm', ASSISTANT_VISION_KEY: 'k' },
    problem: 'ASSISTANT_VISION_MODEL: is missing, but PRINTWARDEN_ASSISTANT_VISION_KEY is set',
  },
  {
    given: { ASSISTANT_URL: 'ftp://a.example', ASSISTANT_MODEL: 'm' },
    problem: 'ASSISTANT_URL: must be an http(s) URL',
  },
  {
    given: { ASSISTANT_URL: 'http://me:key@a.example', ASSISTANT_MODEL: 'm' },
    problem: 'ASSISTANT_URL: must have no user name, query or fragment; the key has a variable of its own',
  },
  { given: { ASSISTANT_MONTHLY_CREDITS: '-2' }, problem: 'ASSISTANT_MONTHLY_CREDITS: must be from -1 to 1000000' },
  { given: { SUPPORT_ADDRESS: 'nobody' }, problem: 'SUPPORT_ADDRESS: must be an e-mail address or an http(s) URL' },
  {
    given: { SUPPORT_ADDRESS: 'a@farm.example' },
    problem: 'SMTP_URL: is missing, but PRINTWARDEN_SUPPORT_ADDRESS is set',
  },
])('$problem', ({ given, problem }) => {
  expect(read(given).problems).toEqual([`PRINTWARDEN_${problem}`])
})

test('letters go by mail, or to a program', () => {
  expect(read({ SUPPORT_ADDRESS: 'https://desk.example/in' }).problems).toEqual([])
  expect(read({ SUPPORT_ADDRESS: 'a@farm.example', SMTP_URL: 'smtp://mail.example' }).problems).toEqual([])
})
