// Downloads of all records of the exchange as files.
import { EXPORTED, type ExportedDataset, exportText } from '@presage/sdk/export';
import { useState } from 'react';
import { saveFile } from '../lib/csv.ts';
import { toFailure } from '../state/failure.ts';
import { operatorAccess } from '../state/operator-access.ts';
import { Button } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { useOperator } from './operator-access.tsx';

export function OperatorExports() {
  const client = useOperator('read');
  const [state, setState] = useState('');
  if (client === undefined) return null;
  const save = async (dataset: ExportedDataset) => {
    setState(`Reading ${dataset}…`);
    try {
      const parts: string[] = [];
      for await (const part of exportText({ ...operatorAccess.caller(), dataset })) parts.push(part);
      saveFile(`presage-${dataset}.csv`, parts);
      setState('');
    } catch (error) {
      setState(toFailure(error).message);
    }
  };
  return (
    <Panel id="exports" title="Export" note="CSV, all time" className="o-pad o-third" testId="exports">
      <p className="row wrap">
        {EXPORTED.map((dataset) => (
          <Button key={dataset} look="line sm" testId={`export-${dataset}`} onClick={() => save(dataset)}>
            {dataset}
          </Button>
        ))}
      </p>
      <p className="sm t2" role="status">
        {state}
      </p>
    </Panel>
  );
}
