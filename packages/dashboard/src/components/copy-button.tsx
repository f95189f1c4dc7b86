import { useState } from 'preact/hooks'
import { Icon } from './icons.js'

const SHOWN_MS = 2000

/** Copies a text, and says whether that worked: without https a browser may refuse. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = () => {
    copyText(text)
      .then(() => setState('copied'))
      .catch(() => setState('failed'))
      .finally(() => setTimeout(() => setState('idle'), SHOWN_MS))
  }
  return (
    <button type="button" class="button small" onClick={copy}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select and copy it' : label}
      </span>
    </button>
  )
}

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  // Plain http, as in most home networks: browsers hide the clipboard there, but still know the old command.
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('the browser refused to copy')
}
